"""Clean lines into faults, one parser a language; pure.

Files, each importing only from those above it:

- ``codes`` code tokens of any shape, and the equal forms of numeric ones
- ``drafts`` a fault while it is being read
- ``class_names`` names that look like the class of an error
- ``endings`` where a message ends: what clearly begins something else
- ``statuses`` HTTP statuses in a message
- ``python_frames`` frames of the interpreter, IPython and rich
- ``python_heads`` headers, markers, and the line that names a Python error
- ``python_listings`` a frame with the source below it
- ``python_messages`` the message of a Python error and its notes
- ``python`` traces of the interpreter, IPython and rich
- ``python_pages`` errors on the debug pages of web frameworks
- ``python_reports`` a class, a message and a place, each on lines of its own
- ``python_layouts`` reports of pytest, warnings, pages
- ``compiler_lines`` errors of compilers that name a code
- ``javascript_frames`` frames of the JavaScript engines
- ``javascript_heads`` the lines that begin a JavaScript error
- ``javascript`` stacks of V8, Firefox and Safari
- ``jvm_lines`` frames and heads of the JVM
- ``jvm_compilers`` errors of the compilers of the JVM
- ``jvm`` stacks of Java, Kotlin and Scala
- ``go_lines`` the lines of Go's panics, stacks and logs
- ``go`` panics and fatal errors
- ``dotnet_lines`` frames and heads of .NET
- ``dotnet`` stacks of .NET
- ``rust_causes`` lists of causes as Rust's reports print them
- ``rust_compiler`` errors of the Rust compiler
- ``rust`` panics, reports and compiler errors
- ``ruby_heads`` class and message above a backtrace of Ruby
- ``ruby`` backtraces
- ``php_pieces`` places and stacks of PHP
- ``php_layouts`` PHP exceptions of consoles, frameworks and test runners
- ``php`` uncaught errors
- ``native_pieces`` source files, places and stacks of native programs
- ``native_compilers`` errors of compilers, linkers and CMake
- ``native`` C and C++: terminate, sanitizers, compilers
- ``plain`` what no language claims: one line, log messages, other text
- ``wrapped`` errors quoted inside a message
- ``parse`` all faults of a text, in its order
"""
