/** What a single device sends. */
import { closedForm } from '../closed-form';

export const singleForm = () => closedForm([0], '0: one device sends nothing');
