package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.scheduling.BindResult;
import java.util.Map;

/** Is notified of requests and their results. Its methods are called on event loops: they must not block. */
public interface RequestObserver {
    /** A verb was answered, so long after the head of its request. */
    void responded(String verb, long nanos);

    /** A request failed; {@code any} is the verb of one that reached none. */
    void failed(String verb, String reason);

    void filtered(FilterResult result);

    /**
     * A preemption was answered.
     *
     * @param candidates the victims that kube-scheduler chose, by node
     * @param response those that are right
     */
    void preempted(Map<String, Victims> candidates, Map<String, Victims> response);

    void bound(BindResult result);
}
