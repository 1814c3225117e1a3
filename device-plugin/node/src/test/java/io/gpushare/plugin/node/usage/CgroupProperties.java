package io.gpushare.plugin.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a container names the cgroups below its own, and wherever the node runs, a process counts as its pod's. */
class CgroupProperties {
    private static final String CONTAINER = "3f1c".repeat(16);
    private static final String OWN = "77aa".repeat(16);

    /** The root of the kubelet's cgroups: of a node, or of one that is a container or the container of a pod. */
    @Provide
    Arbitrary<String> roots() {
        return Combinators.combine(
                        Arbitraries.of(
                                "", "/docker/" + "d0".repeat(32), "/kubepods/burstable/pod%s/" + "e1".repeat(32)),
                        Arbitraries.of("", "/k3s", "/kubelet", "/kubelet.slice"),
                        uids())
                .as((outer, own, uid) -> outer.replace("%s", uid) + own);
    }

    @Provide
    Arbitrary<String> uids() {
        return Arbitraries.create(UUID::randomUUID).map(UUID::toString);
    }

    /** A pod's cgroup and its container's, by both cgroup drivers; the classes of quality of service are levels too. */
    @Provide
    Arbitrary<String> forms() {
        return Arbitraries.of(
                "/kubepods/pod%s/%s",
                "/kubepods/burstable/pod%s/%s",
                "/kubepods/besteffort/pod%s/crio-%s",
                "/kubepods.slice/kubepods-pod%s.slice/cri-containerd-%s.scope",
                "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod%s.slice/crio-%s.scope");
    }

    /** Names that a container gives: of pods and containers, real and forged, with and without one below. */
    @Provide
    Arbitrary<String> below() {
        Arbitrary<String> name = Arbitraries.oneOf(
                Arbitraries.of("init.scope", "kubepods", "kubepods.slice", "a:b", "..", "docker"),
                uids().map(uid -> "pod" + uid),
                uids().map(uid -> "kubepods-burstable-pod" + uid.replace('-', '_') + ".slice"),
                uids().map(uid -> "crio-" + (uid + uid).replace("-", "") + ".scope"),
                uids().map(uid -> (uid + uid).replace("-", "")));
        return name.list().ofMaxSize(6).map(names -> names.isEmpty() ? "" : "/" + String.join("/", names));
    }

    @Property
    void aProcessCountsAsItsPods(
            @ForAll("roots") String root,
            @ForAll("forms") String form,
            @ForAll("forms") String ownForm,
            @ForAll("uids") String uid,
            @ForAll("uids") String ownUid,
            @ForAll("below") String below) {
        String line = "0::" + root + path(form, uid, CONTAINER) + below;
        String own = "0::" + root + path(ownForm, ownUid, OWN);
        assertThat(Cgroup.parse(List.of(line), List.of(own)))
                .isEqualTo(new Cgroup(Optional.of(uid), Optional.of(CONTAINER)));
    }

    private static String path(String form, String uid, String container) {
        return form.formatted(form.contains("slice") ? uid.replace('-', '_') : uid, container);
    }
}
