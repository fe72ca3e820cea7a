import type { Tree } from 'web-tree-sitter';

/**
 * What the runtime leaves on the object that it was started with. Its own cursor copies four numbers into wasm memory and
 * back around each step; a walk that is alone with the runtime needs that once.
 */
export interface Runtime {
  readonly HEAP32: Int32Array;
  _ts_init(): number;
  _ts_tree_cursor_goto_first_child_wasm(tree: number): number;
  _ts_tree_cursor_goto_next_sibling_wasm(tree: number): number;
  _ts_tree_cursor_goto_parent_wasm(tree: number): number;
  _ts_tree_cursor_current_node_type_id_wasm(tree: number): number;
  _ts_tree_cursor_current_node_is_missing_wasm(tree: number): number;
  _ts_tree_cursor_current_field_id_wasm(tree: number): number;
  _ts_tree_cursor_start_index_wasm(tree: number): number;
  _ts_tree_cursor_end_index_wasm(tree: number): number;
}

/** A place in a tree. No other use of the runtime may come between its steps. */
export interface TreeCursor {
  typeId(): number;
  fieldId(): number;
  start(): number;
  end(): number;
  isMissing(): boolean;
  firstChild(): boolean;
  nextSibling(): boolean;
  parent(): boolean;
  close(): void;
}

/** The numbers by which the runtime's own objects name theirs; not part of its types. */
interface Handles {
  readonly tree: { readonly 0: number };
  readonly handles: [number, number, number, number];
}

const handleCount = 4;

/** Opens a cursor at the root of a tree. */
export function openCursor(runtime: Runtime, tree: Tree): TreeCursor {
  const own = tree.walk();
  const { tree: owner, handles } = own as unknown as Handles;
  const address = owner[0];
  const buffer = runtime._ts_init() / Int32Array.BYTES_PER_ELEMENT;
  runtime.HEAP32.set(handles, buffer);
  return {
    typeId: () => runtime._ts_tree_cursor_current_node_type_id_wasm(address),
    fieldId: () => runtime._ts_tree_cursor_current_field_id_wasm(address),
    start: () => runtime._ts_tree_cursor_start_index_wasm(address),
    end: () => runtime._ts_tree_cursor_end_index_wasm(address),
    isMissing: () => runtime._ts_tree_cursor_current_node_is_missing_wasm(address) === 1,
    firstChild: () => runtime._ts_tree_cursor_goto_first_child_wasm(address) === 1,
    nextSibling: () => runtime._ts_tree_cursor_goto_next_sibling_wasm(address) === 1,
    parent: () => runtime._ts_tree_cursor_goto_parent_wasm(address) === 1,
    close: () => {
      for (let index = 0; index < handleCount; index++) handles[index] = runtime.HEAP32[buffer + index] ?? 0;
      own.delete();
    },
  };
}
