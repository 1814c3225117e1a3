/** What the HTTP server refuses and closes: slow callers, foreign hosts, missing certificates, too many connections. */
@NullMarked
package io.gpushare.extender.server;

import org.jspecify.annotations.NullMarked;
