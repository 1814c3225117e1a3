/**
 * How long tests wait: the only place that knows it. It measures how busy the machine is, and knows nothing of what is
 * tested.
 */
@org.jspecify.annotations.NullMarked
package io.gpushare.simulated.patience;
