/** Exhibits about float16 and its GradScaler. Called by exhibits.ts. */
import type { Exhibit } from './exhibit';

export const HALF_EXHIBITS: readonly Exhibit[] = [
  {
    id: 'half-unscaled',
    title: 'float16 without a scaler',
    mistake:
      'The forward pass now runs under autocast with float16, and the rest of the loop was not changed. float16 has no number between 0 and 6e-8, so smaller gradients become 0.',
    code: {
      wrong: [
        "with torch.autocast('cuda', dtype=torch.float16):",
        '    loss = criterion(model(x), y)',
        'loss.backward()',
        'optimizer.step()',
      ],
      right: [
        "with torch.autocast('cuda', dtype=torch.float16):",
        '    loss = criterion(model(x), y)',
        'scaler.scale(loss).backward()',
        'scaler.step(optimizer)',
        'scaler.update()',
      ],
    },
    says: 'Nothing: there is no inf and no NaN, and the loss looks as if the net could not learn the task.',
    shows:
      'The loss stays at 0.69. The gradients of the first layers are so small that they become 0. Stop at a moment in which a gradient is cast to float32: the room then shows the range of float16 and counts the zeros. With the scaler the same net learns.',
    cure: 'Scale the loss with torch.amp.GradScaler, or use bfloat16, which has the range of float32 and needs no scaler.',
    met: ['engichang1467/Open-Rig3R#35'],
    asked: ['THUNLP-MT/THUMT#72'],
  },
  {
    id: 'clip-scaled',
    title: 'Clipping before unscale_',
    mistake:
      'The script clipped gradients before it used a scaler. Now the same line clips gradients that are 65,536 times too large, and scaler.step() divides the clipped gradients by this factor.',
    code: {
      wrong: [
        'scaler.scale(loss).backward()',
        'clip_grad_norm_(model.parameters(), 1)',
        'scaler.step(optimizer)',
        'scaler.update()',
      ],
      right: [
        'scaler.scale(loss).backward()',
        'scaler.unscale_(optimizer)',
        'clip_grad_norm_(model.parameters(), 1)',
        'scaler.step(optimizer)',
        'scaler.update()',
      ],
    },
    says: 'Nothing.',
    shows:
      'The weights hardly change: after clipping and unscaling, the norm of all gradients is 1/65,536. A limit multiplied by the scale would not help for long, because the scale changes.',
    cure: 'Call scaler.unscale_(optimizer) before any code that reads the gradients. scaler.step() then does not unscale again.',
    met: ['Lightning-AI/pytorch-lightning#9330', 'milesial/Pytorch-UNet#470', 'pytorch/examples#1196'],
  },
];
