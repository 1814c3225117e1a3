/**
 * The edge to Prometheus: what the program counts and sees, as text over HTTP. It only reads, asks at each scrape, and keeps
 * nothing but the times that calls took; no label has values that others can make up without end.
 */
@NullMarked
package io.gpushare.plugin.metrics;

import org.jspecify.annotations.NullMarked;
