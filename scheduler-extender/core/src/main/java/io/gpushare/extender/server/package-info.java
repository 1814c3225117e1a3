/** The HTTP server: listening, TLS, certificates, deadlines, and the routes from paths to handlers. */
@NullMarked
package io.gpushare.extender.server;

import org.jspecify.annotations.NullMarked;
