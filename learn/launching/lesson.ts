/** One script, many processes; how each finds out who it is, and what crosses between machines. */
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const NODES = { key: 'nodes', label: 'Nodes', values: ['1', '2', '4'] };

export const lesson = defineLesson({
  figures: {
    who: {
      run: 'mode=ddp&world=4&nodes=2&layers=2-8-1&batch=32&bucket=default&at=2&moment=1',
      show: ['stage'],
      controls: ['play', 'moment', NODES, { key: 'world', label: 'Processes', values: ['4', '8'] }],
      caption: 'The processes of one job. The heading of each room names the rank, its node, and its GPU on that node.',
      numbers: ['nodes', 'ranks', 'localWorldSize', 'groupRank:3', 'localRank:3', 'rowsPerRank'],
      starts: 'walk',
    },
    across: {
      run: 'mode=ddp&world=4&nodes=2&layers=2-32-32-1&batch=32&hardware=pcie4&at=2',
      show: ['timeline'],
      controls: [NODES],
      caption: 'One step of the four ranks. GPUs of one node are connected by PCI Express, nodes by Ethernet.',
      numbers: ['nodes', 'stepTime', 'exposedTime:0', 'bytesInAll', 'bytesBetweenNodes'],
      starts: 'rest',
    },
    ring: {
      run: 'lab=allReduce(ranks:8,nodes:2,length:16,round:1)',
      show: ['lab'],
      controls: [
        'play',
        'round',
        NODES,
        {
          key: 'algorithm',
          label: 'Algorithm',
          values: ['ring', 'naive', 'hierarchical'],
          words: ['Ring', 'All to rank 0 and back', 'Hierarchical'],
        },
      ],
      caption:
        'The gradients of eight ranks are added up. With two nodes, ranks 0 to 3 are on one and ranks 4 to 7 on the other.',
      numbers: ['ranks', 'nodes', 'rounds', 'bytesInAll', 'bytesBetweenNodes', 'stepTime'],
      starts: 'rest',
    },
  },
  drawings: {
    meeting: {
      kind: 'rendezvous',
      caption:
        'Four processes call init_process_group(). Each writes a key into the store and waits for the keys of the others.',
    },
  },
  predictions: {
    six: {
      question: 'Eight processes run on two nodes, four on each. Which LOCAL_RANK does rank 6 have?',
      answer: { figure: 'who', of: 'localRank:6', with: { world: '8' } },
      guess: { kind: 'number', from: 0, to: 7, step: 1 },
      why: 'It is {localRank:6}. Each node counts its own processes from zero, and the first process of the second node is rank 4.',
    },
    apart: {
      question:
        'The four ranks move from one node to two nodes, two ranks on each. Script, net and batch stay the same. The step now takes',
      answer: { figure: 'across', of: 'stepTime', with: { nodes: '2' } },
      guess: {
        kind: 'choice',
        choices: [
          {
            text: 'hardly longer, since most messages stay within a node',
            right: (us, { metrics }) => us < 1.5 * (metrics?.use[0]?.computeUs ?? 0),
          },
          {
            text: 'about twice as long',
            right: (us, { metrics }) => {
              const compute = metrics?.use[0]?.computeUs ?? 0;
              return us >= 1.5 * compute && us < 2.5 * compute;
            },
          },
          {
            text: 'more than twice as long',
            right: (us, { metrics }) => us >= 2.5 * (metrics?.use[0]?.computeUs ?? 0),
          },
        ],
      },
      why: 'It takes {stepTime}, but only {computeTime:0} of it is computation. Half of the bytes still stay within a node, but every round of the ring waits for the messages that go to the other node.',
      plot: { figure: 'across', of: 'stepTime', over: 'nodes', label: 'Nodes', values: ['1', '2', '4'] },
    },
  },
  tasks: {
    place: {
      figure: 'who',
      text: 'Choose nodes and processes so that rank 5 is local rank 1 of node 2.',
      hint: 'Nodes and ranks are counted from zero. Node 2 is the third node, and it must have exactly ranks 4 and 5.',
      done: ({ info }) => {
        const five = info?.environment.find(({ RANK }) => RANK === 5);
        return five?.LOCAL_RANK === 1 && five.GROUP_RANK === 2;
      },
      solution: [{ set: { world: '8' } }, { set: { nodes: '4' } }],
    },
    fewer: {
      figure: 'ring',
      text: 'Stay on two nodes, and find an algorithm that sends fewer bytes between the nodes than the ring.',
      hint: 'The table under “In numbers” has the bytes. One of the algorithms first adds up the gradients within each node.',
      done: (facts) => {
        const sent = facts.lab?.bytesSent.reduce((sum, bytes) => sum + bytes, 0) ?? 0;
        // Of a ring over two nodes, two links of all cross.
        const ring = (2 / (facts.lab?.request.worldSize ?? 1)) * sent;
        return facts.lab?.request.nodes === 2 && (measure(facts, 'bytesBetweenNodes') ?? ring) < ring;
      },
      solution: [{ set: { nodes: '2' } }, { set: { algorithm: 'hierarchical' } }],
    },
  },
});
