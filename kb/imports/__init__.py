"""From a source to a published revision. Files in dependency order; each imports only from those above it.

- ``refusals``: the one exception of this room, for what stops a whole import
- ``streams``: opens and unpacks a file within bounds
- ``splitter``: cuts a JSON array, or JSON values in a row, into elements without holding them all
- ``documents``: what a source yields: raw records, repositories, articles, faults
- ``files``: records from one file or from standard input
- ``layout``: the published layout in a directory
- ``sources``: which of the two a name is
- ``staging``: validated records waiting in a file of their own
- ``diff``: which held records are gone (pure)
- ``slugs``: which claims to a slug are refused (pure)
- ``options``: what the caller may choose, and what it is told
- ``lock``: one import at a time
- ``disk``: whether there is room for an import
- ``progress``: what is shown meanwhile
- ``reading``: sources into staging
- ``outcomes``: what stops an import, as an outcome of its report
- ``upkeep``: what follows the commit
- ``ledger``: releases and rejections
- ``pipeline``: the stages in a row, and the only caller of ``kb.catalog.publish``
"""
