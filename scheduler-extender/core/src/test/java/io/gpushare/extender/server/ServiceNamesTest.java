package io.gpushare.extender.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceNamesTest {
    @Test
    void aClustersOwnDomainIsReadFromThePodsResolver(@TempDir Path folder) throws IOException {
        Path resolver = Files.writeString(
                folder.resolve("resolv.conf"),
                "nameserver 10.96.0.10\nsearch gpu.svc.k8s.corp svc.k8s.corp k8s.corp\noptions ndots:5\n");
        assertThat(ServiceNames.of("gpu", resolver))
                .accepts("extender.gpu.svc.k8s.corp", "extender.gpu")
                .rejects("gpu", "extender.com", "a.extender.gpu", "x.svc.evil.example", "x.k8s.corp", "xsvc.k8s.corp");
    }

    @Test
    void withoutAResolverOnlyTheNamespaceIsKnown(@TempDir Path folder) {
        assertThat(ServiceNames.of("gpu", folder.resolve("none")))
                .accepts("extender.gpu")
                .rejects("extender.gpu.svc.k8s.corp");
    }
}
