/**
 * Definitions of the field's words, each in a sentence or two for someone who meets the word for the first time. All
 * definitions of the page and of the lessons (`<Term>`) come from here. Fetched after the first screen.
 */
export const GLOSSARY = {
  rank: 'One process of the job, numbered from 0. Under DDP each rank drives one device and holds a whole copy of the model.',
  node: 'One machine of the job, with one or several GPUs. torchrun is started once on each node.',
  'local rank':
    'The number of a process among the processes of its node, from 0. It says which GPU of the machine the process uses.',
  'world size': 'The number of ranks in the job.',
  replica:
    'A whole copy of the model on one device. Replicas that start with the same weights and apply the same gradients stay the same.',
  device:
    'A GPU, named cuda:0, cuda:1 and so on, as in PyTorch. On this page one machine plays all of them, and the modelled clock says how long real ones would take.',
  kernel:
    'A small program that runs on the GPU, such as a matrix product. Most operators launch one kernel or several. A view (transpose, slice, reshape) launches none: it only describes memory that is already there.',
  stream:
    'A queue of kernels on one GPU. The kernels of a stream run one after the other; kernels of different streams can run at the same time.',
  gradient:
    'How much the loss changes when a weight changes: one number per weight. The optimiser changes the weight in the opposite direction. PyTorch stores the gradient in .grad.',
  bucket:
    'A buffer in which DDP places several gradients side by side, to send a few large messages instead of many small ones. DDP closes a bucket as soon as its gradients reach bucket_cap_mb.',
  chunk:
    'A part of a tensor. A ring cuts a bucket into one chunk per rank, so that all links are busy at once. DataParallel cuts a batch into one chunk per device.',
  latency:
    'The time before the first byte of a message arrives. It is the same for a message of one byte and for a message of a gigabyte.',
  round:
    'One step of a collective. All messages of a round travel at the same time; the next round passes on what has arrived.',
  collective:
    'An operation in which all ranks of a group take part, such as an all-reduce or a broadcast. Every rank has to call it.',
  'all-reduce':
    'Every rank contributes a tensor, and every rank receives the sum of all of them. A ring does it in two halves: a reduce-scatter, then an all-gather.',
  'reduce-scatter':
    'Every rank contributes a tensor. The tensors are added up, and each rank receives one part of the sum. The first half of a ring all-reduce is a reduce-scatter.',
  'all-gather':
    'Every rank contributes a part, and every rank receives all parts. The second half of a ring all-reduce is an all-gather. SyncBatchNorm and FSDP also use an all-gather on its own.',
  broadcast: 'One rank sends a tensor, and all other ranks receive it.',
  scatter: 'One device cuts a tensor into parts and sends one part to each device.',
  gather: 'Every device sends its part to one device, which joins the parts.',
  replicate: 'In every forward pass, DataParallel copies the model from cuda:0 to all other devices.',
  overlap:
    'Communication that runs while the device computes. Such communication is called hidden: it does not make the step longer.',
  forward:
    'The model computes its output from the samples, layer by layer. Autograd keeps the tensors that backward will need.',
  backward:
    'Autograd goes from the loss back through the layers, last to first, and computes the gradient of every weight.',
  loss: 'One number that says how wrong the output is. Training makes it small.',
  DataLoader:
    'PyTorch’s source of batches. With a DistributedSampler every rank gets different samples of the data set.',
  epoch:
    'One pass of the sampler through the data set. With several ranks a sampler may read a few rows twice, or leave a few out, so that every rank gets the same number of rows.',
  DistributedSampler:
    'PyTorch’s sampler for several ranks. Every rank draws the same shuffled list of all rows from the same seed, and takes every Nth entry of the list.',
  seed: 'The number a random generator starts from. The same seed gives the same random numbers, on any rank.',
  'optimizer.step()': 'The optimiser changes every weight a little, against its gradient.',
  activation:
    'The output of a layer. Forward keeps an activation only if backward will read it, and frees the others as soon as the next layer has used them.',
  δ: 'The gradient of the loss with respect to the output of a layer. In backward, each layer hands it to the layer before.',
  dropout:
    'During training, a random choice of units is set to zero, a new choice for each sample, and the other units are scaled up. During evaluation dropout does nothing.',
  weight: 'A number that is trained. PyTorch calls weights and biases parameters.',
  stage: 'Consecutive layers on one device. The output of a stage is the input of the next stage.',
  timeout:
    'How long a rank waits in a collective for the other ranks before it gives up with an error. It is a setting of the process group.',
  checkpoint:
    'Files from which training can continue: the weights, the state of the optimiser, the step, the position in the data, and the state of the random generators.',
  'activation checkpointing':
    'Forward keeps only the inputs of some segments of layers. When backward needs the other activations, the segment’s forward pass runs again. It saves memory and costs time. torch.utils.checkpoint does it; it writes no file.',
  staleness:
    'How often the weights were updated between the moment a worker copied them and the moment its gradient is applied.',
  straggler: 'A rank that is slower than the others. In every collective the other ranks wait for it.',
  divergence:
    'The largest difference between a weight on one rank and the same weight on another. Under DDP it stays 0.',
  transputer:
    'The slow machine of these pages: the Inmos T800, a processor of 1987. Its arithmetic is some ten million times slower than an A100’s, so a net of a few hundred weights keeps it busy, as a net of many millions keeps a GPU busy.',
} as const;

export type TermId = keyof typeof GLOSSARY;
