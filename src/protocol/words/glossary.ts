/**
 * What the field's words mean, each in a sentence or two for someone who meets it for the first time: the one place
 * where the page takes its definitions from (`<Term>`). Fetched after the first screen.
 */
export const GLOSSARY = {
  rank: 'One process of the job, numbered from 0. Under DDP each rank drives one device and holds a whole copy of the model.',
  node: 'One machine of the job, with one or several GPUs. torchrun is started once on each.',
  'local rank':
    'The number of a process among those of its node, from 0. It says which GPU of the machine the process uses.',
  'world size': 'How many ranks there are.',
  replica:
    'A whole copy of the model on one device. Replicas that begin alike and apply the same gradients stay alike.',
  device:
    'A GPU, named cuda:0, cuda:1 and so on as in PyTorch. Here all of them are this one machine, and the modelled clock says how long real ones would take.',
  kernel:
    'A small program that the GPU runs, such as a matrix product. PyTorch queues at least one for every operator.',
  gradient:
    'How much the loss changes when a weight changes, one number per weight. The optimiser steps against it; PyTorch keeps it in .grad.',
  bucket:
    'Several gradients side by side in one buffer, so that DDP sends few large messages instead of many small ones. It is closed when it holds bucket_cap_mb.',
  chunk:
    'A part of a tensor. A ring cuts a bucket into as many chunks as there are ranks, so that all links are busy at once; DataParallel cuts a batch into one chunk per device.',
  latency: 'What a message takes before its first byte arrives, however small it is. Its bytes come on top of that.',
  round:
    'One step of a collective: its messages travel at the same time, and what they bring is sent on in the next round.',
  collective: 'An operation that all ranks of a group take part in, such as all-reduce or broadcast.',
  'all-reduce':
    'Every rank brings a tensor, and all of them leave with the sum. The ring does it in two halves: reduce-scatter, then all-gather.',
  'reduce-scatter':
    'The first half of an all-reduce: chunks are summed on their way, until each rank has one finished chunk.',
  'all-gather':
    'The second half of an all-reduce: every rank passes finished chunks on, until all ranks have all of them.',
  broadcast: 'One rank sends a tensor to all others.',
  scatter: 'One device cuts a tensor and sends each device its part.',
  gather: 'All devices send their parts to one, which joins them.',
  replicate: 'DataParallel copies the model from cuda:0 to all devices, in every forward.',
  overlap: 'Communication while the device computes: it is hidden, and makes the step no longer.',
  forward: 'The model computes its output from the samples, layer by layer, and keeps what backward will need.',
  backward: 'From the loss back through the layers, last to first: autograd computes the gradient of every weight.',
  loss: 'One number that says how wrong the output is. Training makes it small.',
  DataLoader:
    'PyTorch’s source of batches. With a DistributedSampler every rank gets different samples of the data set.',
  epoch: 'One pass through the data set: every row is read once.',
  DistributedSampler:
    'PyTorch’s sampler for several ranks. Each rank draws the same order of all rows, from one seed, and takes every Nth of them.',
  seed: 'The number from which a random generator starts. The same seed gives the same draws, on any rank.',
  'optimizer.step()': 'The optimiser changes every weight a little, against its gradient.',
  activation: 'The output of a layer, kept until backward has used it.',
  δ: 'The gradient of the loss with respect to the output of a layer: what backward hands from each layer to the one before it.',
  dropout:
    'In training, units are set to zero at random, others for each sample, and the rest is scaled up. In evaluation it does nothing.',
  weight: 'A number that is trained. PyTorch calls weights and biases parameters.',
  stage: 'Consecutive layers that live together on one device. What the last of them computes goes to the next stage.',
  timeout:
    'How long a rank waits in a collective for the others before it gives up with an error. It belongs to the process group.',
  checkpoint:
    'Files from which training can go on: the weights, the state of the optimiser, the step, and where the data and the random generators are.',
  staleness:
    'How many updates the weights have had between a worker’s pull and the moment when its gradient is applied to them.',
  straggler: 'A rank that is slower than the others. In every collective they wait for it.',
  divergence:
    'The largest difference between a weight on one rank and the same weight on another. Under DDP it stays 0.',
} as const;

export type TermId = keyof typeof GLOSSARY;
