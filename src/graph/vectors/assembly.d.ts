/** assembly/ compiled (scripts/assembly.mjs): for memory of one thread, or of several; also with fused multiply-add. */
declare module '*/assembly/index.ts?wasm' {
  export const base64: string;
}
declare module '*/assembly/index.ts?wasm-shared' {
  export const base64: string;
}
declare module '*/assembly/index.ts?wasm-fused' {
  export const base64: string;
}
declare module '*/assembly/index.ts?wasm-shared-fused' {
  export const base64: string;
}
