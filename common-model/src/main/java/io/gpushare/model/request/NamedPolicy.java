package io.gpushare.model.request;

/** The name of a policy, and the annotation of the pod that has it. */
public record NamedPolicy(String annotation, String name) {}
