"""The tensors of a model that is spread over ranks: whole tensors of their parts, and this rank's part of a whole one.

fully_shard and parallelize_module make DTensors of parameters. DistributedDataParallel around a parallelized model
keeps the local parts as plain parameters and the layout of each DTensor in their attribute _st_info (torch 2.0 to
2.13). whole() and place() communicate: all ranks that have a part of the tensor call them, in the same order.
"""

import torch
import torch.distributed as dist


class ModelTensors:
    """The parameters and buffers of this rank by their names in the whole model."""

    def __init__(self, model, modules=None, speaks=True, tied=()):
        """`modules`: the modules whose tensors this rank has (None: all). `speaks`: whether this rank hands over whole
        tensors for reports and checkpoints (False: another rank has the same tensors). `tied`: see tied_names."""
        self.model, self.is_part, self.speaks = model, modules is not None, speaks
        self.order, self.tied = list(model.state_dict()), dict(tied)
        self.regrouped, self.parameters, self.kept = {}, None, {}
        mine = {id(m) for module in (modules or [model]) for m in module.modules()}
        self.owned = {
            f'{prefix}.{name}' if prefix else name
            for prefix, module in model.named_modules()
            if id(module) in mine
            for name in [*module._parameters, *module._buffers]
        }
        for name, of in self.tied.items():  # inside DistributedDataParallel one of the modules has the parameter
            if name not in self.order:
                self.order.append(name)
                if of in self.owned:
                    self.owned.add(name)

    def regroup(self, module, ranks):
        """train.py regroups the rows of these modules for tensor parallelism: each rank has q, k, v of its heads.
        Reports and checkpoints have the rows in the order of the model without ranks."""
        self.regrouped = {name: ranks for name in self.order if module in name.split('.')[:-1]}

    def named_parameters(self):
        if self.parameters is not None:
            return self.parameters
        found = {}
        for name, p in all_parameters(self.model):
            if name in self.owned:
                # parallelize_module gives each module that shares a weight a parameter of its own: several of one name
                found.setdefault(id(p), (self.tied.get(name, name), p))
        return list(found.values())

    def keep_parameters(self):
        """Call it when the optimizer has its parameters. In the first forward pass DistributedDataParallel takes the
        parameters of a parallelized model out of the modules."""
        self.parameters, entries = self.named_parameters(), self.model.state_dict(keep_vars=True)
        self.kept = {name: p for name, p in entries.items() if isinstance(p, torch.nn.Parameter)}  # also of tied names

    def state(self):
        """The entries of the model's state_dict that this rank has, as they are."""
        found = {**self.model.state_dict(), **self.kept}
        for name, of in self.tied.items():  # inside DistributedDataParallel one of the modules has the parameter
            if of in found:
                found.setdefault(name, found[of])
        return {name: found[name] for name in self.order if name in self.owned and name in found}

    def whole(self, name, tensor, owner):
        """The whole tensor. `name`, `owner`: a parameter; `tensor`: this parameter, its gradient or its state."""
        found = whole(tensor, owner)
        ranks = self.regrouped.get(name) if found.dim() > 0 else None
        return found if ranks is None else rows_by_kind(found, ranks)

    def whole_state(self):
        """The entries of the state_dict as whole tensors on the CPU, one by one, so that no GPU needs room for all."""
        state = {}
        for name, tensor in self.state().items():
            found = self.whole(name, tensor, tensor)
            if self.speaks:
                state[name] = found.cpu()
        return state

    def part_of(self, parameter):
        """A function that cuts the whole of a parameter's state: it returns what this rank's optimizer keeps."""
        names = {id(p): name for name, p in self.named_parameters()}
        ranks, mask = self.regrouped.get(names.get(id(parameter))), place(parameter)

        def cut(tensor):
            found = tensor if ranks is None or tensor.dim() == 0 else rows_by_rank(tensor, ranks)
            return part(found, parameter, mask)

        return cut


def all_parameters(model):
    """Names and parameters; a weight that several modules share comes once for each of its names."""
    for prefix, module in model.named_modules(remove_duplicate=False):
        for name, p in module._parameters.items():
            if p is not None:
                yield f'{prefix}.{name}' if prefix else name, p


def tied_names(model):
    """The first name of each weight that several modules share, by its other names."""
    first, tied = {}, {}
    for name, p in all_parameters(model):
        tied[name] = first.setdefault(id(p), name)
    return {name: of for name, of in tied.items() if of != name}


def rows_by_rank(tensor, ranks):
    """Rows of all queries, all keys, all values: as rank 0's queries, keys and values, then rank 1's, and so on."""
    return tensor.unflatten(0, (3, ranks, -1)).transpose(0, 1).flatten(0, 2)


def rows_by_kind(tensor, ranks):
    """The reverse of rows_by_rank."""
    return tensor.unflatten(0, (ranks, 3, -1)).transpose(0, 1).flatten(0, 2)


def as_dtensor(tensor, owner):
    """The DTensor that this tensor is or is the local part of; None: this rank has the whole tensor."""
    if hasattr(tensor, 'full_tensor'):
        return tensor
    layout = getattr(owner, '_st_info', None)
    if layout is None or tensor.shape != owner.shape:
        return None
    from torch.distributed.tensor import DTensor

    sizes = {'shape': layout.shape, 'stride': layout.stride}
    return DTensor.from_local(tensor, layout.mesh, layout.placements, run_check=False, **sizes)


def whole(tensor, owner):
    """The whole of a tensor that is spread like the parameter `owner`; any other tensor as it is."""
    dtensor = as_dtensor(tensor.detach(), owner)
    if dtensor is None:
        return tensor.detach()
    # With CPUOffloadPolicy parts are on the CPU, but nccl communicates between GPUs.
    return dtensor.to(dtensor.device_mesh.device_type).full_tensor()


def place(parameter):
    """True for the elements of the whole parameter that this rank has; None: it has all."""
    dtensor = as_dtensor(parameter.detach(), parameter)
    if dtensor is None:
        return None
    ranks = torch.zeros_like(dtensor, dtype=torch.float32)
    own = dist.get_rank() + 1
    ranks.to_local().fill_(own)
    return (whole(ranks, ranks) == own).cpu()  # whole() puts the numbers of all ranks where their parts are


def part(tensor, parameter, mask):
    """The part of a whole tensor in the form of the parameter: a DTensor, or the local part alone."""
    if mask is None or tensor.shape != mask.shape:  # a number, such as Adam's count of steps, is not cut
        return tensor
    dtensor = torch.zeros_like(as_dtensor(parameter.detach(), parameter))
    local = dtensor.to_local()
    local.copy_(tensor[mask].view(local.shape))
    return dtensor if hasattr(parameter, 'full_tensor') else local
