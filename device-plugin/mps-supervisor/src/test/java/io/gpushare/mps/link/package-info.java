/** Tests of the files between the plugin and the supervisor of MPS. */
@NullMarked
package io.gpushare.mps.link;

import org.jspecify.annotations.NullMarked;
