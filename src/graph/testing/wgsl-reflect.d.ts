/**
 * wgsl_reflect's Node entry is CommonJS under an ESM package and does not load; its module build does, but ships
 * without its own types.
 */
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
