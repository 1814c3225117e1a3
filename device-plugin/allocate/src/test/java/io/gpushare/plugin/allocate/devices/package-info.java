/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.allocate.devices;

import org.jspecify.annotations.NullMarked;
