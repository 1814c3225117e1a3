package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The evidence of this process: the Allocate calls that it answered, in their order. */
record AnsweredCalls(List<AnsweredCall> calls) {
    static final AnsweredCalls NONE = new AnsweredCalls(List.of());

    AnsweredCalls {
        calls = List.copyOf(calls);
    }

    /** With one more call; it replaces an earlier one for the same devices of the same container. */
    AnsweredCalls with(AnsweredCall call) {
        List<AnsweredCall> changed = new ArrayList<>(only(old -> !old.isRepeatedBy(call)).calls);
        changed.add(call);
        return new AnsweredCalls(changed);
    }

    AnsweredCalls only(Predicate<AnsweredCall> kept) {
        return new AnsweredCalls(calls.stream().filter(kept).toList());
    }

    AnsweredCalls without(String uid) {
        return only(call -> !call.pod().uid().equals(uid));
    }

    Stream<AnsweredCall> of(PodRef pod, String container) {
        return calls.stream().filter(call -> call.isFor(pod, container));
    }

    Set<PodRef> pods() {
        return calls.stream().map(AnsweredCall::pod).collect(Collectors.toSet());
    }

    /** What the containers of that pod were given, by name. */
    Map<String, ContainerAllocation> allocations(PodRef pod) {
        Map<String, ContainerAllocation> given = new LinkedHashMap<>();
        ofPod(pod).forEach(call -> given.put(call.allocation().name(), call.allocation()));
        return given;
    }

    /** The devices that the kubelet allocated to that pod. */
    Stream<String> ids(PodRef pod) {
        return ofPod(pod).flatMap(call -> call.ids().stream());
    }

    private Stream<AnsweredCall> ofPod(PodRef pod) {
        return calls.stream().filter(call -> call.pod().uid().equals(pod.uid()));
    }
}
