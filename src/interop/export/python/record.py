"""Everything around the training loop: keeps losses, writes and resumes checkpoints, handles signals and faults.

The training loop is in train.py. report.py makes the report, which is written at the end.
"""

import json
import math
import os
import signal
import sys
import time

import torch
import torch.distributed as dist

import checkpoint
import checkpoint_files
import report
from launch import here
from parts import ModelTensors, tied_names

AGREE_EVERY, AGREE_S = 10, 5  # ranks agree whether to stop every so many steps or seconds


class Run:
    """Records a training. `with run:` around the training writes report, trace and checkpoint at the end."""

    def __init__(self, args, rank, device, accumulate=1, updates=1, uneven=False, per_epoch=None,
                 replicas=None, reader=None):
        """`accumulate`: micro-batches per step; `updates`: most calls of optimizer.step() per step; `uneven`: ranks
        have different numbers of batches; `per_epoch`: micro-batches counted per epoch on every rank; `replicas`: of a
        model over several ranks, which read the same rows: those of `reader` (None: each rank reads its own rows)."""
        given = {name: vars(args)[name] for name in ('steps', 'epochs') if name in args}
        with open(here('config.json')) as f:
            self.config = {**json.load(f), **given}
        self.args, self.rank, self.device = args, rank, device
        self.accumulate, self.updates, self.uneven, self.per_epoch = accumulate, updates, uneven, per_epoch
        world = dist.get_world_size() if dist.is_initialized() else 1
        self.readers = replicas or world  # how many ranks read different rows
        self.reader = reader if reader is not None else rank % self.readers
        self.same_rows = replicas == 1 and world > 1
        self.micro_batch, self.epoch, self.batches_per_epoch = 0, -1, 0
        self.first_step = self.first_epoch = 0
        self.losses, self.history, self.saved, self.profiler, self.wrapper = [], [], None, None, None
        self.scaler, self.scale, self.skipped = None, None, 0
        self.optimizer_steps = 0  # counted only if there may be several in a step
        self.told, self.told_at, self.stop = None, 0.0, False
        self.restarted = restarted(device)
        if args.checkpoint and rank == 0:
            os.makedirs(os.path.dirname(args.checkpoint) or '.', exist_ok=True)  # now, not after hours of training
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.tell)

    # ---- before the training

    def holds(self, model, modules=None, first=True):
        """The model that is trained. `modules`: the modules whose parameters this rank holds (None: all). `first`:
        is this the first of the ranks that share these modules?"""
        speaks = self.reader == 0 and first if modules is not None else self.rank == 0
        self.tensors = ModelTensors(model, modules, speaks, self.tied)
        # In a pipeline only the last stage has losses: it is on the last rank, or with V-shaped schedules on the first.
        self.prints = self.rank == 0 or (self.tensors.is_part and self.rank == dist.get_world_size() - 1)

    def regroups(self, module, ranks):
        """See ModelTensors.regroup."""
        self.tensors.regroup(module, ranks)

    def named_parameters(self):
        return self.tensors.named_parameters()

    def resume(self, model):
        """Loads the weights of the checkpoint to resume from, if any. Call it before the model is wrapped."""
        self.tied = tied_names(model)
        base = self.base_to_resume()
        if base is None:
            return
        self.refuse_unless(base, model)
        self.saved = checkpoint.Saved(base, self.rank, self.reader, self.readers, self.config)
        self.first_step = self.saved.number('step')
        if self.first_step >= getattr(self.args, 'steps', math.inf):
            self.say(f'run is complete at step {self.first_step}: nothing is left to do')
            checkpoint_files.leave(0)
        others = checkpoint_files.other_settings(self.saved.about, self.config)
        if others:
            self.say(f'warning: settings of this run differ from those of the checkpoint {base}: {", ".join(others)}')
        self.saved.load_model(model)

    def refuse_unless(self, base, model):
        """If training cannot resume from these files, rank 0 says why and all ranks exit."""
        why = checkpoint_files.why_not(base, model, self.config['optimizer']['type']) if self.rank == 0 else None
        if why is not None:
            self.say(why)
        if checkpoint_files.word_of_rank_0(int(why is not None), self.device):
            checkpoint_files.leave(1)

    def say(self, text):
        if self.rank == 0:
            print(f'train.py: {text}', file=sys.stderr, flush=True)

    def base_to_resume(self):
        """The checkpoint to resume from; None: train from the start. Ranks that torchrun restarts also run train.py
        from the top: with --checkpoint they resume as with --resume auto."""
        args = self.args
        auto = args.resume == 'auto'
        base = args.begins_with if auto else args.resume
        if not auto and not (self.restarted and args.checkpoint):
            return base
        found = checkpoint_files.was_saved(args.checkpoint, self.rank, self.device)
        if self.rank == 0:
            begins = f'starts from {base}' if base else 'starts from the beginning'
            says = f'resumes from {args.checkpoint}' if found else f'no checkpoint {args.checkpoint} yet: {begins}'
            self.say(says)
        return args.checkpoint if found else base

    def resume_scaler(self, scaler):
        """Restores the GradScaler. Checkpoints of this run contain its scale."""
        self.scaler = scaler
        if self.saved is not None:
            self.skipped = self.saved.load_scaler(scaler)
        self.scale = scaler.get_scale()

    def resume_optimizer(self, optimizer, advance=None, every_epoch=False):
        """The optimizer to restore, and its schedule, which `advance` moves on by one step or epoch."""
        self.optimizer, self.advance, self.every_epoch = optimizer, advance, every_epoch
        self.tensors.keep_parameters()

    def resume_batches(self, batches, row_ids=None):
        """Restores the place in the epoch, then the optimizer and its schedule, which may count epochs. `row_ids`: the
        number of each row that `batches` indexes."""
        self.batches, self.row_ids, batches.same_rows = batches, row_ids, self.same_rows
        if self.saved is None:
            return
        number = self.saved.number
        self.optimizer_steps = number('optimizer_steps')
        if self.saved.same_rows:
            self.micro_batch, self.first_epoch = number('micro_batch'), max(0, number('epoch'))
            done = self.micro_batch - self.first_epoch * number('batches_per_epoch')
        else:
            self.micro_batch = self.first_step * self.accumulate
            self.first_epoch, done = divmod(self.micro_batch, self.per_epoch or len(batches))
        self.saved.load_batches(batches, row_ids, done)
        if self.advance is not None:
            self.optimizer.step()  # changes nothing without gradients; a schedule must not step before the optimizer
            for _ in range(self.first_epoch if self.every_epoch else number('optimizer_steps')):
                self.advance()
        self.saved.load_optimizer(self.optimizer, self.tensors)
        if not self.tensors.is_part:
            self.saved.load_own_weights(self.tensors)

    # ---- the training

    def batches_of(self, loader, epoch):
        """The batches of an epoch; ends early when training is asked to stop."""
        if self.stop:
            return
        self.epoch, self.batches_per_epoch = epoch, self.per_epoch or len(loader)
        if self.per_epoch is not None:
            self.micro_batch = max(self.micro_batch, epoch * self.per_epoch)
        for batch in loader:
            if self.stop:
                return
            self.fail_if_asked()
            try:
                yield batch
            finally:
                self.micro_batch += 1

    def loss(self, loss):
        """Records the loss of a micro-batch. A process with several workers calls it for each worker in turn."""
        self.losses.append((self.micro_batch, self.epoch, loss.detach()))
        self.optimizer_steps += self.updates > 1  # workers that do not wait for each other: a step for each loss
        if self.args.progress:
            place = {'rank': self.rank, 'step': self.micro_batch // self.accumulate, 'microBatch': self.micro_batch}
            print('LOCKSTEP', json.dumps({**place, 'epoch': self.epoch, 'loss': report.number(loss)}), flush=True)
        elif self.prints and not self.args.quiet:
            print(f'step {self.micro_batch // self.accumulate}  epoch {self.epoch}  loss {loss.item():.6f}', flush=True)

    def step(self):
        """Call it after each step of the optimizer and of its schedule."""
        step = self.micro_batch // self.accumulate
        if self.scaler is not None:
            before, self.scale = self.scale, self.scaler.get_scale()
            self.skipped += self.scale < before
        if self.args.report and step - self.first_step < self.args.history:
            self.history.append(report.sample_step(step, self.tensors))
        if self.profiler is not None:
            self.profiler.step()
        every = self.args.checkpoint_every
        if self.args.checkpoint and every and (step + 1) % every == 0 and not self.uneven:
            self.save(step + 1)
        self.stop = self.agreed(step)

    def agreed(self, step):
        """Whether training should stop. All ranks must stop after the same step, or some would wait forever."""
        if not dist.is_initialized():
            return self.told is not None
        if self.uneven or step < self.ask_at:
            return False
        now = time.monotonic()
        step_s = (now - self.asked_s) / (step - self.asked_at)
        heard = torch.tensor([self.told or 0, step_s], dtype=torch.float32, device=self.device)
        dist.all_reduce(heard, op=dist.ReduceOp.MAX)
        agreed, slowest_s = int(heard[0].item()), heard[1].item()
        self.asked_at, self.asked_s = step, now
        # All ranks compute the same number. After slow steps they ask every time: torchrun waits only 30 s for them.
        self.ask_at = step + max(1, min(AGREE_EVERY, int(AGREE_S / max(slowest_s, 1e-3))))
        if agreed and self.told is None:  # another rank's signal; this rank's own may follow
            self.told_at = now
        self.told = agreed or self.told  # a signal that came meanwhile is shared the next time
        return agreed != 0

    def tell(self, number, _):
        """A signal ends training after a step that all ranks have taken. A second signal ends it at once, unless it
        comes within 2 s: one Ctrl+C reaches ranks twice, from the terminal and from torchrun."""
        if self.told is None:
            self.told, self.told_at = number, time.monotonic()
        elif time.monotonic() - self.told_at > 2:
            os._exit(128 + number)

    def fail_if_asked(self):
        """Carries out --kill and --hang, which show how the other ranks react."""
        step = self.micro_batch // self.accumulate
        if self.restarted or self.micro_batch % self.accumulate:
            return
        if f'{self.rank}@{step}' in (self.args.kill or '').split(','):
            print(f'rank {self.rank} is killed in step {step}', file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if f'{self.rank}@{step}' in (self.args.hang or '').split(','):
            print(f'rank {self.rank} hangs in step {step}', file=sys.stderr, flush=True)
            time.sleep(10 * (self.args.timeout or 1800))

    # ---- the end

    def __enter__(self):
        self.started = time.perf_counter()
        self.ask_at, self.asked_at, self.asked_s = self.first_step, self.first_step - 1, time.monotonic()
        if self.args.trace:
            self.profiler = report.profiler(getattr(self.args, 'steps', None), self.first_step)
            self.profiler.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        self.seconds = time.perf_counter() - self.started
        if self.profiler is not None:
            self.profiler.__exit__(kind, error, trace)
            if self.profiler.profiler is not None:  # training reached the steps to record
                self.profiler.export_chrome_trace(report.trace_file(self.args.trace, self.rank))
        if error is not None:
            report.of_failure(self, error)  # the error is raised again
            return
        if self.uneven:  # a rank that ran out of batches has counted fewer
            self.micro_batch = most(self.micro_batch, self.device)
        if self.args.checkpoint and (self.saved is None or self.epoch >= 0):  # unless it already had all steps
            self.save(self.micro_batch // self.accumulate, ended=True)
        told = report.of_run(self)
        if self.told is not None:
            where = f'; checkpoint {self.args.checkpoint}' if self.args.checkpoint else ''
            self.say(f'stopped after step {self.micro_batch // self.accumulate - 1}{where}')
        if self.told is not None or told != 0:
            sys.exit(told or 128 + self.told)

    def left_join(self):
        """Did training end within an epoch, and join() give all ranks the last rank's model there, which may differ
        from theirs?"""
        ddp = self.config.get('ddp', {})
        if self.config['mode'] != 'ddp' or not ddp.get('join', False):
            return False
        least = -most(-len(self.batches), self.device)
        ran_out = least < self.batches_per_epoch and self.micro_batch > least
        own = ddp.get('commHook', {}).get('type') == 'localSGD' or not ddp.get('initSync', True)
        own = own or any('running' in name for name in self.tensors.order)  # statistics of batch norm
        differ = ran_out or (own and dist.get_world_size() > 1)
        epochs = self.config.get('epochs') or 1  # join() is around all epochs if their number is given
        return differ and self.micro_batch % (self.batches_per_epoch * epochs) > 0

    def save(self, steps, ended=False):
        counts = {
            'step': steps,
            'micro_batch': steps * self.accumulate,
            'optimizer_steps': self.optimizer_steps if self.updates > 1 else steps,
            'epoch': self.epoch,
            'batches_per_epoch': self.batches_per_epoch,
            **({'left_join': 'true'} if ended and self.left_join() else {}),
        }
        rows = self.batches, self.row_ids, self.reader, self.readers
        scaled = {} if self.scaler is None else checkpoint.state_of_scaler(self.scaler, self.skipped)
        checkpoint.save(self.args.checkpoint, self.config, counts, self.tensors, self.optimizer, scaled, *rows)


def restarted(device):
    """Did torchrun restart the ranks? Only the node that lost a rank may count it, so all nodes are asked."""
    return most(int(os.environ.get('TORCHELASTIC_RESTART_COUNT', 0)), device) > 0


def most(count, device):
    """The largest count of all ranks."""
    count = torch.tensor([count], device=device)
    if dist.is_initialized():
        dist.all_reduce(count, op=dist.ReduceOp.MAX)
    return count.item()
