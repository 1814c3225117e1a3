/** The HTTP server: listening, TLS, certificates, deadlines, and the routes from paths to the packages that answer. */
@NullMarked
package io.gpushare.extender.server;

import org.jspecify.annotations.NullMarked;
