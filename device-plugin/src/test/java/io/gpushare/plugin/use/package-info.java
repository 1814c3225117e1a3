/** Tests of the room of the same name. */
@NullMarked
package io.gpushare.plugin.use;

import org.jspecify.annotations.NullMarked;
