package io.gpushare.extender.protocol;

import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.model.PodRef;

/** The request of bind (k8s.io/kube-scheduler/extender/v1 ExtenderBindingArgs). */
record BindArgs(PodRef pod, String node) {
    private static final String[] FIELDS = {"PodName", "PodNamespace", "PodUID", "Node"};

    static BindArgs read(byte[] body) throws BadRequestException {
        String[] read = {"", "", "", ""};
        JsonBody.read(body, JsonBody.strings(read, FIELDS));
        for (int i = 0; i < read.length; i++) {
            if (read[i].isEmpty()) {
                throw new BadRequestException("the request has no " + FIELDS[i]);
            }
        }
        return new BindArgs(new PodRef(read[2], read[1], read[0]), read[3]);
    }
}
