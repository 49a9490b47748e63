/** Settings without a field in the set-up: the reason, or the other control that sets them. */
export const WITHOUT_FIELD: Readonly<Record<string, string>> = {
  model: 'the part of the set-up that is called so',
  ddp: 'the part of the set-up that is called so',
  parameterServer: 'the part of the set-up that is called so',
  modelParallel: 'the part of the set-up that is called so',
  pipeline: 'the part of the set-up that is called so',
  'pipeline.split': 'the strip of layers, with a handle at each cut between two stages',
  'pipeline.actions': 'the editor beside the picture of the schedule',
  gradScaler: 'its fields are listed one by one',
  sharded: 'the part of the set-up that is called so',
  'sharded.stage': 'the rows of the stages, each with what a rank keeps',
  'sharded.modules': 'the list of layers, each with a box',
  tensor: 'the part of the set-up that is called so',
  'tensor.plan': 'the list of modules, with a choice for each',
  'tensor.lossParallel': 'follows from the plan; comes with a link or a file',
  mesh: 'the part of the set-up that is called so',
  'mesh.dp': 'the slider of mesh.dpReplicate, whose earlier name this is',
  'mesh.cp': 'no mode has this axis yet',
  data: 'the pictures of the data sets, as a group of radio buttons',
  'model.layers': 'the list of layers',
  mode: 'the picker in the bar',
  worldSize: 'the buttons in the bar',
  seed: 'the field in the bar',
  'modelParallel.split': 'the list of devices, with a button at each boundary',
  stragglers: 'the menus of the failures panel, one for each device and link',
  weights: 'a .safetensors file that is dropped on the page',
  resume: 'the checkpoints of the bar',
  steps: 'the page runs until it is paused',
  epochs: 'the page runs until it is paused',
  'data.text.file': 'named by the file that is chosen',
  'data.text.text': 'a .txt file that is dropped on the page; a text in a field would be too long',
  'data.idx.images': 'named by the file that is chosen',
  'data.idx.labels': 'named by the file that is chosen',
  'data.png.zip': 'named by the file that is chosen',
  'data.csv.file': 'named by the file that is chosen',
  'data.csv.target': 'a menu of the columns, once the file has been read',
  'data.csv.header': 'a menu, once the file has been read',
  'data.npy.inputs': 'named by the file that is chosen',
  'data.npy.targets': 'named by the file that is chosen',
};

/** Lists whose items have settings: one control holds them all. */
export const IN_A_LIST: Readonly<Record<string, string>> = {
  'scheduler.SequentialLR.schedulers': 'the text of the field holds the settings of each schedule',
  paramGroups: 'the text of the field holds the settings of each group',
  stragglers: 'a menu for each device and one for a link',
};

/**
 * Settings of all layers without a field: sizes that follow from the layer before, and settings that only a file or a
 * link can give.
 */
export const LAYER_WITHOUT_FIELD: Readonly<Record<string, string>> = {
  in: 'follows from the layer before',
  features: 'follows from the layer before',
  channels: 'follows from the layer before',
  vocab: 'follows from the data',
  context: 'follows from the data',
  'MultiheadAttention.width': 'follows from the layer before',
  'TransformerBlock.width': 'follows from the layer before',
  name: 'follows from the place; names as in another state_dict come with a link or a file',
  tied: 'needs the name of a parameter; comes with a preset, a link or a file',
  layers: 'a branch of layers is written in the link or a file, as res(conv8k3p1-bn!conv8k1)',
  shortcut: 'a branch of layers is written in the link or a file, as res(conv8k3p1-bn!conv8k1)',
};
