@NullMarked
package io.gpushare.plugin.devices;

import org.jspecify.annotations.NullMarked;
