package io.gpushare.extender.protocol;

import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.model.PodRef;

/** The request of bind (k8s.io/kube-scheduler/extender/v1 ExtenderBindingArgs). */
record BindArgs(PodRef pod, String node) {
    static BindArgs read(byte[] body) throws BadRequestException {
        String[] read = {"", "", "", ""};
        JsonBody.read(body, (field, value) -> {
            switch (field) {
                case "podname" -> read[0] = JsonBody.string(value, "PodName");
                case "podnamespace" -> read[1] = JsonBody.string(value, "PodNamespace");
                case "poduid" -> read[2] = JsonBody.string(value, "PodUID");
                case "node" -> read[3] = JsonBody.string(value, "Node");
                default -> value.skipChildren();
            }
        });
        String[] names = {"PodName", "PodNamespace", "PodUID", "Node"};
        for (int i = 0; i < names.length; i++) {
            if (read[i].isEmpty()) {
                throw new BadRequestException("the request has no " + names[i]);
            }
        }
        return new BindArgs(new PodRef(read[2], read[1], read[0]), read[3]);
    }
}
