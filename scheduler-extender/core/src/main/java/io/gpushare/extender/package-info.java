/** The core of the extender, wired: what decides, and the edges that it needs. Its program is a module of its own. */
@NullMarked
package io.gpushare.extender;

import org.jspecify.annotations.NullMarked;
