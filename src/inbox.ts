/** What reaches a run from outside while an effect is under way: words of the user, and orders to stop. */
import type { RunAborted } from '../machines/index.ts';

export type InboxItem =
  | { readonly kind: 'interjection'; readonly text: string }
  | { readonly kind: 'abort'; readonly cause: RunAborted['cause']; readonly by: string };

export class Inbox {
  #items: readonly InboxItem[] = [];
  #wake: () => void = () => undefined;

  put(item: InboxItem): void {
    this.#items = [...this.#items, item];
    this.#wake();
  }

  /** The first item that `accepts` takes, if it is there. It stays until it is removed. */
  peek(accepts: (item: InboxItem) => boolean): InboxItem | undefined {
    return this.#items.find(accepts);
  }

  /** Resolves with the first item that `accepts` takes, now or later. */
  async first(accepts: (item: InboxItem) => boolean): Promise<InboxItem> {
    for (;;) {
      const item = this.peek(accepts);
      if (item) return item;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Words that nobody has taken, in order. */
  interjections(): readonly string[] {
    return this.#items.flatMap((item) => (item.kind === 'interjection' ? [item.text] : []));
  }

  remove(item: InboxItem): void {
    this.#items = this.#items.filter((other) => other !== item);
  }
}
