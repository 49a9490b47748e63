/** Adds all algorithms to the table, for parts in which the user can choose any: the lab and process groups. */
import { addAlgorithms } from './algorithms';
import { OTHER_ALGORITHMS } from './other-algorithms';

addAlgorithms(OTHER_ALGORITHMS);
