@NullMarked
package io.gpushare.extender.view;

import org.jspecify.annotations.NullMarked;
