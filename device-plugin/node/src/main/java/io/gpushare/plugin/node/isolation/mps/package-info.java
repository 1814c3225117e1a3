/** Holds containers to their share by NVIDIA's Multi-Process Service, which a supervisor beside the plugin runs. */
@NullMarked
package io.gpushare.plugin.node.isolation.mps;

import org.jspecify.annotations.NullMarked;
