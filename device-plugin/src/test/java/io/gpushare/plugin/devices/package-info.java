/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.devices;

import org.jspecify.annotations.NullMarked;
