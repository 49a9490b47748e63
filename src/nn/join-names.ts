/** Names of a state_dict: 'blocks.1.ln1' and 'bias' make 'blocks.1.ln1.bias'. An empty prefix adds nothing. */
export const joinNames = (prefix: string, name: string): string => (prefix === '' ? name : `${prefix}.${name}`);
