@NullMarked
package io.gpushare.plugin.node;

import org.jspecify.annotations.NullMarked;
