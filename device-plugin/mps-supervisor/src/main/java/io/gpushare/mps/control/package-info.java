/** Edge to NVIDIA's control program of MPS: its command line, its replies and its log. */
@NullMarked
package io.gpushare.mps.control;

import org.jspecify.annotations.NullMarked;
