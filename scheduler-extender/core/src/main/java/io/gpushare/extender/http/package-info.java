/**
 * HTTP bodies: request bodies within their shared memory budget, responses, and JSON read and written by token. Knows
 * no protocol and decides nothing.
 */
@NullMarked
package io.gpushare.extender.http;

import org.jspecify.annotations.NullMarked;
