/** torch's long names of the half-precision types. */
export const HALF_NAMES = { bf16: 'bfloat16', f16: 'float16' } as const;
