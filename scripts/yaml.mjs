// What Loadout uses of yaml, by name: Node cannot tell the names in the package itself when it is built as one script.
export { Document, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml'
