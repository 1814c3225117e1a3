/**
 * Follows what the repository's files say about its pages: the links of Markdown, and the paths of pages in everything
 * else. It reads files only.
 */
@NullMarked
package io.gpushare.e2e.documents;

import org.jspecify.annotations.NullMarked;
