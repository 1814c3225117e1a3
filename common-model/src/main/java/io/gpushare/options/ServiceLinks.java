package io.gpushare.options;

import java.util.regex.Pattern;

/**
 * Recognizes the variables that the kubelet adds to containers for each Service of their namespace: a Service
 * {@code gpushare-schd-extender} adds {@code GPUSHARE_SCHD_EXTENDER_SERVICE_HOST} and others.
 */
final class ServiceLinks {
    private static final Pattern NAME = Pattern.compile(
            ".+_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)" + "|.+_PORT_[0-9]{1,5}_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");
    // A name alone is not enough here: --port has the variable GPUSHARE_PORT, and so has a Service "gpushare".
    private static final Pattern PORT = Pattern.compile(".+_PORT");
    private static final Pattern URL = Pattern.compile("(tcp|udp|sctp)://.+");

    private ServiceLinks() {}

    static boolean isLink(String variable, String value) {
        return NAME.matcher(variable).matches()
                || (PORT.matcher(variable).matches() && URL.matcher(value).matches());
    }
}
