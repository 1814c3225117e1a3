package io.gpushare.model.codec;

import io.gpushare.model.ContainerRole;
import java.util.Map;
import java.util.Objects;

/** What the API says of one container's resources: name to quantity, requests and limits laid together. */
public record ContainerResources(String name, ContainerRole role, Map<String, String> quantities) {
    public ContainerResources {
        Objects.requireNonNull(name);
        Objects.requireNonNull(role);
        quantities = Map.copyOf(quantities);
    }
}
