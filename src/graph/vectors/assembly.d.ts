/** assembly/ compiled (scripts/assembly.mjs). */
declare module '*/assembly/index.ts?wasm' {
  export const base64: string;
}
