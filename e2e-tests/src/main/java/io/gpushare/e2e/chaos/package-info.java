/**
 * The chaos run: pods come and go on a real cluster of two nodes while its components are killed and frozen and its
 * cards become unhealthy. A seed determines the plan of faults and pods; {@code check} verifies the cluster once a
 * second.
 */
@NullMarked
package io.gpushare.e2e.chaos;

import org.jspecify.annotations.NullMarked;
