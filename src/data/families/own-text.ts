/** The default text for language models, written for Lockstep about Lockstep. */
export const OWN_TEXT = `Four machines sat down one evening to learn the same thing.

"We each have a copy of the model," said the first, "and every copy is the same, down to the last bit. Let us keep it so."

"We each have our own part of the data," said the second. "I have seen pictures that you have not seen, and you have read lines that I have not read. So our gradients will differ."

"Then we must talk," said the third, "and talking is slow. Let us talk while we work. As soon as the last layer knows its gradient, I will send it on, and go back to the layer before."

"Who adds it all up?" asked the fourth. "If everyone sends everything to me, I shall be busy while the rest of you wait."

"No one adds it all up," said the first. "We sit in a ring. I give a piece to you, you add your own and pass it on, and so around. When a piece comes home it is whole. Then it goes around once more, so that all may have it. Nobody carries more than the others, and nobody waits for long."

So they began. Forward went the numbers, layer by layer, and at the end stood the loss, and the loss was large. Backward came the gradients, layer by layer, and as each bucket filled it went out on the ring. Then every machine took the same step down the same hill, for they all held the same sum, and they were equal again.

Step by step, and all in time,
we learn the slope before the climb.
Forward to see how far we miss,
and backward to ask the cause of this.

What one has read the rest will know,
for round the ring the pieces go.
A little sent, a little kept,
and no one wakes while others slept.

The batch is cut, the work is small,
the sum belongs to one and all.
The weights that were the same before
are still the same, and know some more.

In the night a cable broke. The second machine called and heard nothing. It did not guess, and it did not go on alone. It waited, said clearly what was missing, and stopped. In the morning the cable was mended. The four of them went back to the last step that they had all finished, and from there they walked on as if nothing had happened.

"Is the loss small now?" asked the fourth, much later.

"Small enough," said the first. "Let us look at what we have not seen yet, and find out whether we have learned it, or have only learned it by heart."
`;
