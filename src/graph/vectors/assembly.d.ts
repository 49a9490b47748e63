/** assembly/ compiled (scripts/assembly.mjs), for memory of one thread and for memory that threads share. */
declare module '*/assembly/index.ts?wasm' {
  export const base64: string;
}
declare module '*/assembly/index.ts?wasm-shared' {
  export const base64: string;
}
