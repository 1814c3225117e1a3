package io.gpushare.model.codec;

import io.gpushare.model.ContainerRole;
import java.util.Map;

/** The resources of one container in the API: quantities by name, requests and limits merged. */
public record ContainerResources(String name, ContainerRole role, Map<String, String> quantities) {
    public ContainerResources {
        quantities = Map.copyOf(quantities);
    }
}
