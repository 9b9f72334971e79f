"""Lists of known words that tell files and names of code from prose. Data; the rules stand in `files` and `symbols`."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Endings of what repositories hold.
EXTENSIONS = _words(
    """
    ac adb ads ahk am applescript as asc asciidoc asm asp aspx astro awk bas bash bat bats bazel bib bicep bzl
    c c++ cabal cc cfg cjs cl clj cljc cljs cls cmake cmd cnf coffee comp conf config cpp cr cs cshtml csproj
    css csv cts cu cuh cxx d dart def desktop diff dockerfile dtd dts dtsi edn ejs el elm eml env erb erl ex
    exs f f03 f90 f95 feature fish for frag fs fsi fsx gd gemspec geojson gif glsl gml go gql gradle graphql
    groovy gyp gypi h h++ haml hbs hcl hh hpp hrl hs htm html hxx hy ico idl idr iml in inc ini inl ino ipp
    ipynb j2 java jinja jinja2 jl jpeg jpg js json json5 jsonc jsonl jsonnet jsp jsx kt kts lds lean less lhs
    liquid lock log lua m m4 make mako markdown md mdx metal mjs mk ml mli mm mod module mts mustache nasm
    ndjson nim nims nix nomad nse odin org pas patch pbxproj pc pch php phtml pl plist pm png po pod pot pp
    prisma pro prof properties proto ps1 psd1 psm1 pug pxd py pyi pyx r rake rb rc re rei res resx rkt rmd ron
    rs rst rules s sage sass sbt scad scala scm scss sed service sh shader sld sln snap sol sql st storyboard
    sty styl sum sv svelte svg svh swift tcl tex texi tf tfvars thrift tml toml tpl ts tsv tsx twig txt v vala
    vb vbproj vcxproj vert vhd vhdl vim vue wasm wat wgsl wit wsdl xaml xcconfig xcscheme xhtml xib xlf xml
    xsd xsl xslt yaml yml yy zig zon zsh
    """
)
# Endings that are words as well, or members of a value: `works.in`, `math.log`, `P.x`. A bare name with one of these
# needs an underscore, a hyphen or a digit before it to be a file's.
WEAK_ENDINGS = _words(
    """
    as d def feature for form frag gd in m mod module org pro prof r res rules s service snap v x
    """
)
# What a build leaves behind; nobody changes it.
PRODUCTS = _words(
    """
    o lo la obj so a dll dylib exe lib pyc class gcda gcno pdb ilk exp
    """
)
# The headers of C itself and of the system.
STANDARD = _words(
    """
    assert.h complex.h ctype.h endian.h errno.h features.h fenv.h float.h inttypes.h iso646.h limits.h
    locale.h malloc.h math.h memory.h pthread.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h
    stddef.h stdint.h stdio.h stdlib.h string.h strings.h threads.h time.h uchar.h unistd.h wchar.h wctype.h
    windows.h
    """
)
# Names of files that have no ending, or that are known as a whole.
BARE = _words(
    """
    Dockerfile Containerfile Makefile GNUmakefile makefile Kbuild Kconfig Jenkinsfile Vagrantfile Gemfile
    Rakefile Podfile Brewfile Fastfile Appfile Procfile Guardfile Berksfile Cartfile Dangerfile Capfile
    Puppetfile Tiltfile Earthfile Justfile justfile Snakefile SConstruct SConscript Pipfile CODEOWNERS README
    LICENSE COPYING CHANGELOG CMakeLists.txt BUILD.bazel go.mod go.sum
    """
)
DOTFILES = _words(
    """
    .appveyor.yml .babelrc .bashrc .bazelrc .cirrus.yml .clang-format .clang-tidy .clangd .coveragerc
    .dockerignore .editorconfig .env .envrc .eslintignore .eslintrc .flake8 .gitattributes .gitignore .gitkeep
    .gitlab-ci.yml .gitmodules .golangci.yml .htaccess .mailmap .node-version .npmignore .npmrc .nvmrc
    .pre-commit-config.yaml .prettierignore .prettierrc .profile .pylintrc .python-version .readthedocs.yaml
    .readthedocs.yml .rspec .rubocop.yml .ruby-version .rustfmt.toml .stylelintrc .tool-versions .travis.yml
    .vimrc .yarnrc .zshrc
    """
)
# A path that begins with one of these is inside a repository, whatever it ends with.
ROOTS = _words(
    """
    src source sources lib libs include inc test tests testing spec specs doc docs example examples bench
    benches benchmark benchmarks contrib build-aux build_aux builds ci cmake config configs crates packages
    pkg cmd internal api app apps server client core tools tool scripts script bin sage fuzz util utils
    modules module assets static templates resources vendor third_party deps plugins components pages public
    website web ui .github .circleci .ci .gitlab .vscode .devcontainer .husky .cargo .config m4
    """
)
# Sites, products and abbreviations with the shape of a file.
NOT_FILES = _words(
    """
    node.js next.js vue.js nuxt.js react.js express.js three.js d3.js p5.js chart.js ember.js backbone.js
    angular.js deno.js bun.js moment.js sharp.js underscore.js require.js discord.js ethers.js
    math.log cmath.log np.log numpy.log jnp.log torch.log tf.log
    console.log logger.log log.log web3.js docs.rs
    """
)
# Endings of host names: `example.com/a.html` is an address.
HOST_ENDINGS = _words(
    """
    ai app biz cn co com de dev edu eu fr gov info io jp me net org ru uk us
    """
)
# Words of languages: literals, keywords, types; and what reviewers shout.
KEYWORDS = _words(
    """
    true false null nil none nan inf undefined void self this cls super todo fixme xxx note wip nit ack nack
    utack tack ok yes no and or not if else elif then for while do done switch case default break continue
    goto return yield try catch except finally throw throws raise with from import export include define ifdef
    ifndef endif pragma using namespace package module public private protected static const constexpr inline
    extern register volatile restrict unsigned signed int char short long float double bool string str bytes
    byte size_t ssize_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t intptr_t
    u8 u16 u32 u64 i8 i16 i32 i64 usize isize f32 f64 struct union enum typedef class interface trait impl
    type let var val def fn func function async await new delete sizeof typeof instanceof in is as of pub mut
    ref mod crate use where match loop move dyn unsafe abstract final override virtual template typename
    operator friend explicit mutable auto assert pass lambda global nonlocal del exec print echo
    """
)
# Commands, branches, targets and platforms: written as code, but not defined in it.
COMMANDS = _words(
    """
    git make cmake ninja gcc clang cc cxx ld ar nm objdump gdb lldb valgrind bash zsh sudo apt brew pip npm
    yarn cargo rustc rustup go python python3 node java javac mvn docker ssh curl wget tar grep sed awk cat
    man cd ls rm cp mv mkdir chmod autogen configure install uninstall clean check test tests build run help
    version main master develop dev head origin upstream release debug trunk http https www com org amd64
    arm64 x86 x64 x86_64 i386 i686 aarch64 armv7 win32 win64 linux macos windows darwin ubuntu debian fedora
    utf-8 utf8 ascii json yaml yml toml xml html css sql
    """
)
