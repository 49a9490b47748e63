/**
 * A Vite plugin that makes the lessons static pages under learn/. Their text is MDX. src/lessons/page renders it in
 * Node, and the engine trains the run of every figure, so that the pages are complete without a script. The built pages
 * load one small script (src/lessons/live), which loads the playground's own files when the reader is near a figure.
 * The development server renders a page on request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compile } from '@mdx-js/mdx';
import rehypeKatex from 'rehype-katex';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import remarkMdxFrontmatter from 'remark-mdx-frontmatter';
import { assembly } from './assembly.mjs';
import { root } from './install.mjs';

const ENTRY = 'src/lessons/live/main.ts';
const RENDER = 'src/lessons/page/render.tsx';
const SHEETS = {
  theme: 'src/app/draw/theme.css',
  lab: 'src/app/lab/figure.module.css',
  lesson: 'src/lessons/page/lesson.css',
};

/** Compiles MDX to a module, and formulas to MathML. @returns {import('vite').Plugin} */
export const mdx = () => ({
  name: 'mdx',
  enforce: 'pre',
  async transform(source, id) {
    if (!id.endsWith('.mdx')) return null;
    const compiled = await compile(
      { value: source, path: id },
      {
        remarkPlugins: [remarkFrontmatter, remarkMdxFrontmatter, remarkGfm, remarkMath],
        rehypePlugins: [[rehypeKatex, { output: 'mathml', strict: 'error' }]],
      },
    );
    return { code: String(compiled), map: null };
  },
});

const sheets = () =>
  Object.fromEntries(Object.entries(SHEETS).map(([name, file]) => [name, readFileSync(path.join(root, file), 'utf8')]));

/** Preview pictures, by lesson: learn/NAME/preview.png. */
function previews() {
  const folders = readdirSync(path.join(root, 'learn'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(
    folders.flatMap(({ name }) => {
      const file = path.join(root, 'learn', name, 'preview.png');
      try {
        return [[name, readFileSync(file)]];
      } catch {
        return [];
      }
    }),
  );
}

/** Relative to the pages, which are in learn/. @param {Iterable<string>} names */
const previewFiles = (names) => new Map([...names].map((name) => [name, `previews/${name}.png`]));

/** @param {{ policy: string, address: string | undefined }} options @returns {import('vite').Plugin} */
export const lessons = ({ policy, address }) => ({
  name: 'lessons',
  apply: (_, { isSsrBuild }) => !isSsrBuild && process.env['VITEST'] === undefined,
  buildStart() {
    if (this.environment?.mode === 'build') this.emitFile({ type: 'chunk', id: ENTRY, name: 'learn' });
  },
  generateBundle: {
    order: 'post',
    async handler(_, bundle) {
      const entry = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'learn');
      if (entry?.type !== 'chunk') this.error('The script of the lessons was not built.');
      const imported = [...(entry.viteMetadata?.importedCss ?? [])].map((file) => `../${file}`);
      const pictures = previews();
      const { files, runs } = await renderInNode({
        site: { script: `../${entry.fileName}`, styles: ['lesson.css', ...imported], policy, address },
        sheets: sheets(),
        previews: previewFiles(pictures.keys()),
      });
      if (runs === 0) this.error('No figure of the lessons was run.');
      for (const [name, source] of files) this.emitFile({ type: 'asset', fileName: `learn/${name}`, source });
      for (const [name, source] of pictures)
        this.emitFile({ type: 'asset', fileName: `learn/previews/${name}.png`, source });
      if (address !== undefined)
        this.emitFile({ type: 'asset', fileName: 'learn/sitemap.xml', source: sitemapOf(address, files.keys()) });
    },
  },
  configureServer(server) {
    const kept = new Map();
    server.watcher.on('change', () => kept.clear());
    server.middlewares.use(async (request, response, next) => {
      const [, name, ending] = /^\/learn\/(?:([a-z-]+)\.(html))?(?:\?.*)?$/.exec(request.url ?? '') ?? [];
      const [, file] = /^\/learn\/((?:pictures\/[\w-]+\.svg)|lesson\.css)$/.exec(request.url ?? '') ?? [];
      const page = name ?? (request.url === '/learn/' ? 'index' : undefined);
      if (page === undefined && file === undefined) return next();
      try {
        if (file !== undefined && !kept.has(file)) return next();
        if (page !== undefined && !kept.has(`${page}.${ending ?? 'html'}`)) {
          const module = await server.ssrLoadModule(`/${RENDER}`);
          const { files } = await module.renderSite({
            site: { script: `/${ENTRY}`, styles: ['lesson.css'], policy: undefined, address: undefined },
            sheets: sheets(),
            previews: previewFiles([]),
            only: page,
          });
          for (const [key, source] of files) kept.set(key, source);
        }
        const source = kept.get(file ?? `${page}.html`);
        if (source === undefined) return next();
        const type = file?.endsWith('.svg') ? 'image/svg+xml' : file ? 'text/css' : 'text/html';
        response.setHeader('content-type', `${type}; charset=utf-8`);
        response.end(type === 'text/html' ? await server.transformIndexHtml(request.url ?? '/', source) : source);
      } catch (error) {
        next(error);
      }
    });
  },
});

/** The modules of src/lessons/page render the pages. @param {object} options */
async function renderInNode(options) {
  const { createServer } = await import('vite');
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'warn',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    plugins: [mdx(), assembly()],
  });
  try {
    const { renderSite } = await server.ssrLoadModule(`/${RENDER}`);
    return await renderSite(options);
  } finally {
    await server.close();
  }
}

/** @param {string} address @param {Iterable<string>} files */
function sitemapOf(address, files) {
  const pages = [...files].filter((file) => file.endsWith('.html')).sort();
  const rows = [address, ...pages.map((file) => `${address}learn/${file}`)].map(
    (url) => `  <url><loc>${url}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${rows.join('\n')}\n</urlset>\n`;
}
