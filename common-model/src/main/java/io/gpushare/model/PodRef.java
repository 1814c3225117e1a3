package io.gpushare.model;

/** A pod. Its uid identifies it; namespace and name are for messages. */
public record PodRef(String uid, String namespace, String name) {

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
