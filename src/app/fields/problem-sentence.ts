import { withSubject } from '../../base/with-subject';

/** Why a value was refused, as the sentence below its field: 'The value must be ...'. */
export const problemSentence = (problem: string): string => {
  const said = withSubject('the value', problem);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
};
