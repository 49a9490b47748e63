/** Adds all algorithms to the table, for parts that let one choose among them: the lab and process groups. */
import { addAlgorithms } from './algorithms';
import { OTHER_ALGORITHMS } from './other-algorithms';

addAlgorithms(OTHER_ALGORITHMS);
