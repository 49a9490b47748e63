/** The names of the two files of a checkpoint. */

export const modelFileName = (name: string): string => `${name}.safetensors`;
export const stateFileName = (name: string): string => `${name}.state.safetensors`;
