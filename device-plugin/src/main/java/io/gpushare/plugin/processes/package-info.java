/** The edge to the node's process table: which cgroup a process is in. Reads, and keeps nothing. */
@NullMarked
package io.gpushare.plugin.processes;

import org.jspecify.annotations.NullMarked;
